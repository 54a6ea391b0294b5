/* Two init processes: SPIN runs both. */
init { skip }
init { skip }

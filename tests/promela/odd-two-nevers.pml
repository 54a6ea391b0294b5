/* Two never claims: SPIN keeps both, one is chosen per run. */
active proctype p() { skip }
never a { do :: true od }
never b { do :: true od }

/* Sending on a channel variable that never names a channel: SPIN refuses, since it knows no fields for it. */
chan c;
active proctype p() { c!1 }

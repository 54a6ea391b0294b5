/* Lowering one's own priority below another's. */
byte x;
active [2] proctype p() priority 5 { set_priority(_pid, 2); x++ ; set_priority(_pid, 1); x++ }

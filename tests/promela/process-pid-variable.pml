/* Variables of type pid. */
pid me;
active [2] proctype p() { me = _pid; assert(me < 2) }

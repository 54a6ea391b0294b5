/* A choice between sending and receiving on both sides. */
chan c = [0] of { byte }; byte n;
active [2] proctype p() { byte x; if :: c!1 -> n++ :: c?x -> n = n + 2 fi }

/* A process can't shake hands with itself. */
chan c = [0] of { byte };
active proctype p() { byte x; if :: c!1 :: c?x fi }

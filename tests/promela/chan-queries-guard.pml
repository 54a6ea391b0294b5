/* Channel queries as guards. */
chan c = [1] of { byte };
active proctype p() { do :: nfull(c) -> c!1 :: full(c) -> break od }
active proctype q() { nempty(c); c?_; empty(c) }

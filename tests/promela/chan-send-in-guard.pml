/* Sends as guards with several destinations. */
chan a = [1] of { byte }; chan b = [1] of { byte };
active proctype p() { do :: a!1 :: b!2 :: full(a) && full(b) -> break od }
active proctype q() { a?_; b?_ }

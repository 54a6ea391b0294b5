/* A send blocks while the channel is full. */
chan c = [1] of { byte };
active proctype p() { c!1; c!2 }

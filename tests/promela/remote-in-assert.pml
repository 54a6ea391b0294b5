/* Remote references in an assertion. */
active [2] proctype p() { skip; cs: skip }
active proctype monitor() { assert(!(p[0]@cs && p[1]@cs)) }

/* assert(false) and assert(true). */
active proctype p() { assert(true); if :: assert(false) :: skip fi }

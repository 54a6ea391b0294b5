/* A model without processes. */
byte x;

active proctype greeter() {
	byte n = 2;
	printf("hello %d\n", n);
	n--;
	printf("bye %d\n", n)
}

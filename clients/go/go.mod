module punctual.io/punctual

go 1.19

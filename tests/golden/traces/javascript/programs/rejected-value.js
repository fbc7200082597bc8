// A promise that is rejected with what is no error.
Promise.reject({ status: 503 });

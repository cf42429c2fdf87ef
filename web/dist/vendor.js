// Libraries of the page: none.

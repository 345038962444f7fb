/** New apps have cache components: a page that waits for a request does so below a Suspense boundary. */
export default { cacheComponents: true, partialPrefetching: true, poweredByHeader: false };

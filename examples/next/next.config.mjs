/** Pages, the package and the service's addresses need nothing special. */
export default { poweredByHeader: false };

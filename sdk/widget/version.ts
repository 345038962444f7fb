/** Version of the package and of the bundles; a test holds it against package.json. */
export const version = '1.27.1';

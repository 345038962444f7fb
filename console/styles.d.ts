/** The bundler takes styles that a module imports. */
declare module '*.css';

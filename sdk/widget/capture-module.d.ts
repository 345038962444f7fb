/** The camera part as the package holds it; the package's own `imports` say where. */
declare module '#capture' {
  export const camera: import('./ports.js').Camera;
}

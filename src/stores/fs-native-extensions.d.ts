/** The part of the package that is used here; it ships no types. */
declare module 'fs-native-extensions' {
  /** Takes the lock of an open file (an open file description lock where the system has them); false if another holds it. */
  export function tryLock(fileDescriptor: number): boolean;
}

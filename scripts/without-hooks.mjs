// Imported before a test. Tap notes each promise and timer of the process, those of a service under test too, to find the test that an error belongs to
// if it is caught nowhere. That takes a fifth of the processor. Without it, such an error ends the file with its stack, and the file has failed.
import hooks from 'node:async_hooks';
import { syncBuiltinESMExports } from 'node:module';

const hook = { enable: () => hook, disable: () => hook };
hooks.createHook = () => hook;
syncBuiltinESMExports();

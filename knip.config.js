// knip finds files, exports and packages that nothing uses. It starts from what is run by name: commands, threads, pages, benches, tests.
export default {
  entry: [
    'src/cli/*.ts',
    'src/main.ts',
    'src/stores/database/embedded/thread.ts',
    'src/{demo,hosted}/page/assets/*.js',
    // The contract names every shape on the wire, whoever reads it.
    'src/contract/*.ts',
    'workers/main.ts',
    'sdk/lite/{script,index,api}.ts',
    'sdk/gallery/gallery.ts',
    'sdk/{index,umd}.ts',
    'sdk/{react,next}.tsx',
    'sdk/capture/camera.ts',
    'sdk/capture/worker/main.ts',
    'test/sdk/capture/page/*.js',
    'sdk/widget/{api,ports}.ts',
    'bench/{run,echo-server,pipeline-server,service-server}.ts',
    'scripts/*.{ts,mjs}',
    'test/**/*.test.ts',
    'test/pool/entries/*.ts',
  ],
  project: ['{src,workers,sdk,bench,scripts,test}/**/*.{ts,tsx,mjs,js}', '!sdk/dist/**'],
  // The types in a function's signature are exported with it.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // Bundled by esbuild out of a text, as the rival beside which the probe is measured; and run by name on the API document by test/docs/openapi.test.ts.
  // The camera’s models, and the arithmetic that runs them, are files of the last four, taken by their path.
  ignoreDependencies: [
    '@fingerprintjs/botd',
    '@redocly/cli',
    '@stoplight/spectral-cli',
    'openapi-fetch',
    'openapi-typescript',
    '@tensorflow/tfjs-backend-wasm',
    '@vladmandic/face-api',
    '@vladmandic/human',
    'tfjs-bundle',
  ],
  // Programs of the machine: deploy/system-packages.txt and the stores' images bring them.
  ignoreBinaries: ['java', 'mvn', 'redis-server', 'openssl', 'mount', 'umount'],
};

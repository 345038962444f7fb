// knip finds files, exports and packages that nothing uses. It starts from what is run by name: commands, threads, pages, benches, tests.
export default {
  workspaces: {
    '.': {
      entry: [
        'src/cli/*.ts',
        'src/main.ts',
        'src/stores/database/embedded/thread.ts',
        'src/{audience,demo,verification/hosted}/page/assets/*.js',
        'console/app.tsx',
        'examples/**/*.{js,mjs,jsx}',
        // The contract names every shape on the wire, whoever reads it.
        'src/contract/*.ts',
        'workers/main.ts',
        'bench/{run,echo-server,pipeline-server,service-server}.ts',
        'scripts/*.{ts,mjs}',
        'test/**/*.test.ts',
        'test/sdk/capture/page/*.js',
        'test/pool/entries/*.ts',
        'test/sdk/gallery/gallery.ts',
      ],
      project: ['{src,workers,bench,research,scripts,test,examples,console}/**/*.{ts,tsx,mjs,js,jsx}'],
    },
    sdk: {
      entry: [
        'lite/{script,index,api}.ts',
        '{index,umd}.ts',
        '{react,next}.tsx',
        'node/{index,api}.ts',
        'widget/{api,ports}.ts',
        'capture/camera.ts',
        'capture/worker/{main,judge}.ts',
      ],
      project: ['**/*.{ts,tsx}', '!dist/**'],
      // Optional for whoever installs the package: only /react and /next ask for it.
      ignoreDependencies: ['react'],
    },
  },
  // The types in a function's signature are exported with it.
  ignoreExportsUsedInFile: { interface: true, type: true },
  // Bundled by esbuild out of a text, as the rival beside which the probe is measured, or the client of test/docs/openapi.test.ts.
  // The camera’s models, and the arithmetic that runs them, are files of the last four, taken by their path.
  ignoreDependencies: [
    '@fingerprintjs/botd',
    // Of examples/next.
    'next',
    'openapi-fetch',
    '@tensorflow/tfjs-backend-wasm',
    '@vladmandic/face-api',
    '@vladmandic/human',
    'tfjs-bundle',
  ],
  // Programs of the machine: deploy/system-packages.txt and the stores' images bring them.
  ignoreBinaries: [
    'chroot',
    'java',
    'mvn',
    'redis-cli',
    'redis-server',
    'openssl',
    'mount',
    'umount',
    'unshare',
    'haproxy',
    'pgbouncer',
    'prometheus',
    'xclip',
    'script',
  ],
};

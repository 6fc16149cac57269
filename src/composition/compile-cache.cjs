// Preloaded by `npm start` and `./sepia`: keeps compiled code beside the installed packages, so that the next start neither strips
// types nor compiles, in this process, its threads and its engines. Where the folder cannot be written, nothing happens.
const { enableCompileCache } = require('node:module')
const { join } = require('node:path')

process.env.NODE_COMPILE_CACHE ??= join(__dirname, '../../node_modules/.cache/sepia')
enableCompileCache(process.env.NODE_COMPILE_CACHE)

import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { build, type Plugin } from 'vite'
import { appBuildFolder } from './app-files.ts'
import { germanByPage } from './german-by-page.ts'

const app = join(import.meta.dirname, '../app')
const compressible = /\.(?:html|js|css|svg)$/

/** Bundles the browser code into {@link appBuildFolder}, with a Brotli and a gzip version of each text file. */
async function buildApp(): Promise<void> {
  await build({
    configFile: false,
    logLevel: 'warn',
    root: app,
    base: '/console/',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    // Scripts load the others by relative paths, so that they work below any base path.
    experimental: { renderBuiltUrl: (file, { hostType }) => (hostType === 'html' ? `/console/${file}` : { relative: true }) },
    plugins: [germanByPage(app), styleBehindFrame],
    worker: { format: 'es' },
    build: {
      outDir: appBuildFolder,
      emptyOutDir: true,
      target: 'es2023',
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      rolldownOptions: { checks: { pluginTimings: false } },
    },
  })
  await precompress(appBuildFolder)
}

/** Moves the style sheet behind the placeholder of the page: in the head, it would delay the first paint. */
const styleBehindFrame: Plugin = {
  name: 'style-behind-frame',
  enforce: 'post',
  transformIndexHtml: {
    order: 'post',
    handler(page) {
      const [sheet] = /<link rel="stylesheet"[^>]*>/.exec(page) ?? []
      if (sheet === undefined) throw new Error('The page has no style sheet')
      return page.replace(sheet, '').replace('</body>', `  ${sheet}\n  </body>`)
    },
  },
}

async function precompress(folder: string): Promise<void> {
  const names = await readdir(folder, { recursive: true })
  for (const name of names.filter((name) => compressible.test(name))) {
    const file = join(folder, name)
    const bytes = await readFile(file)
    // The best quality takes seconds for the reader of PDFs and saves a tenth.
    const quality = bytes.length > 1_000_000 ? 9 : constants.BROTLI_MAX_QUALITY
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length, [constants.BROTLI_PARAM_QUALITY]: quality }
    const brotli = await promisify(brotliCompress)(bytes, { params })
    await writeFile(`${file}.br`, brotli)
    await writeFile(`${file}.gz`, await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION }))
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await buildApp()

/** Fields that only the repository needs. */
const own = ['private', 'scripts', 'devDependencies', 'overrides', 'allowScripts']

/** Dependencies that only build what the package holds built. */
const buildDependencies = [
  ...['vite', 'preact', '@preact/signals', 'katex', 'lowlight', 'uqr', '@simplewebauthn/browser'],
  ...['@fontsource-variable/source-sans-3', '@fontsource-variable/source-serif-4'],
]

/** The `package.json` of the published package, from that of the repository. */
export function packageManifest(manifest: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { dependencies, ...rest } = manifest
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => !own.includes(name))),
    exports: { './package.json': './package.json' },
    files: ['src', 'dist/console', 'models', 'docs', 'deploy', 'sepia', 'sbom.cdx.json', 'ARCHITECTURE.md', 'CHANGELOG.md', 'SECURITY.md'],
    engines: { node: '>=18' },
    publishConfig: { access: 'public', provenance: true },
    dependencies: Object.fromEntries(Object.entries(Object(dependencies)).filter(([name]) => !buildDependencies.includes(name))),
  }
}

/** Fields that only the repository needs. */
const repositoryOnly = ['private', 'scripts', 'devDependencies', 'overrides']

/** Dependencies that only build what the package holds built. */
const buildDependencies = [
  ...['vite', 'preact', '@preact/signals', 'katex', 'lowlight', 'uqr', '@simplewebauthn/browser'],
  ...['@fontsource-variable/source-sans-3', '@fontsource-variable/source-serif-4'],
]

/** The manifest of the one package that is packed along, as far as it is read here. */
export interface BundledManifest {
  readonly name: string
  readonly dependencies: Readonly<Record<string, string>>
  /** Its native builds, one for each platform. */
  readonly optionalDependencies: Readonly<Record<string, string>>
  readonly scripts?: unknown
}

/**
 * The `package.json` of the published package, from that of the repository. What the bundled package needs is named here, since npm
 * fetches nothing for a package that came along; its builds for CUDA are not.
 */
export function packageManifest(manifest: Readonly<Record<string, unknown>>, bundled: BundledManifest): Readonly<Record<string, unknown>> {
  const { dependencies, optionalDependencies, ...rest } = manifest
  const own = Object.entries(Object(dependencies)).filter(([name]) => !buildDependencies.includes(name))
  const builds = Object.entries(bundled.optionalDependencies).filter(([name]) => !name.includes('cuda'))
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => !repositoryOnly.includes(name))),
    exports: { './package.json': './package.json' },
    files: [
      'src',
      'dist/console',
      'models',
      'docs',
      'deploy',
      'sepia',
      'scripts/node',
      'sbom.cdx.json',
      'ARCHITECTURE.md',
      'CHANGELOG.md',
      'SECURITY.md',
    ],
    engines: { node: '>=18' },
    publishConfig: { access: 'public', provenance: true },
    bundleDependencies: [bundled.name, 'rapidoc'],
    dependencies: { ...bundled.dependencies, ...Object.fromEntries(own) },
    optionalDependencies: { ...Object.fromEntries(builds), ...Object(optionalDependencies) },
  }
}

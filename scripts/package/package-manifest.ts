/** Fields that only the repository needs. */
const repositoryOnly = ['private', 'scripts', 'devDependencies', 'overrides']

/** Dependencies that only build what the package holds built. */
const buildDependencies = [
  ...['vite', 'preact', '@preact/signals', 'katex', 'lowlight', 'uqr', '@simplewebauthn/browser'],
  ...['@fontsource-variable/source-sans-3', '@fontsource-variable/source-serif-4'],
]

type Versions = Readonly<Record<string, string>>

/** The manifest of a package that is packed along, as far as it is read here. */
export interface BundledManifest {
  readonly name: string
  readonly dependencies?: Versions
  /** Its native builds, one for each platform. */
  readonly optionalDependencies?: Versions
  readonly scripts?: unknown
}

/**
 * The `package.json` of the published package, from that of the repository. What the bundled packages need is named here, since npm
 * fetches nothing for a package that came along; what `overrides` replaces with an empty package is not.
 */
export function packageManifest(
  manifest: Readonly<Record<string, unknown>>,
  bundled: readonly BundledManifest[],
): Readonly<Record<string, unknown>> {
  const { dependencies, optionalDependencies, overrides, ...rest } = manifest
  const own = Object.entries(Object(dependencies)).filter(([name]) => !buildDependencies.includes(name))
  const neededBy = (name: string, versions: Versions = {}) =>
    Object.entries(versions).filter(([dependency]) => !isEmpty(overrides, dependency) && !isEmpty(Object(overrides)[name], dependency))
  const needed = bundled.flatMap(({ name, dependencies }) => neededBy(name, dependencies))
  const builds = bundled.flatMap(({ name, optionalDependencies }) => neededBy(name, optionalDependencies))
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([name]) => !repositoryOnly.includes(name))),
    exports: { './package.json': './package.json' },
    files: [
      ...['src', 'dist/console', 'models', 'docs', 'deploy', 'sepia', 'scripts/node', 'sbom.cdx.json'],
      ...['ARCHITECTURE.md', 'CHANGELOG.md', 'SECURITY.md'],
    ],
    engines: { node: '>=18' },
    publishConfig: { access: 'public', provenance: true },
    bundleDependencies: bundled.map(({ name }) => name),
    dependencies: { ...Object.fromEntries(needed), ...Object.fromEntries(own) },
    optionalDependencies: { ...Object.fromEntries(builds), ...Object(optionalDependencies) },
  }
}

/** Whether the overrides replace a package with one that holds nothing. */
function isEmpty(overrides: unknown, name: string): boolean {
  return String(Object(overrides)[name]).startsWith('npm:empty-npm-package@')
}

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

interface LockedPackage {
  readonly integrity?: string
  readonly cpu?: readonly string[]
  readonly optional?: boolean
  readonly engines?: Readonly<Record<string, string>> | readonly string[]
  readonly resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Native packages of platforms that neither our machines nor our images run; docs/dependencies.md says what that means. */
const outOfReach = ['mac-arm64-metal', 'mac-x64', 'win-arm64', 'win-x64', 'win-x64-vulkan'].map(
  (platform) => `node_modules/@node-llama-cpp/${platform}`,
)
const files = { 'package-lock.json': outOfReach, 'test/package-lock.json': [], 'bench/package-lock.json': [] }

type Packages = Readonly<Record<string, LockedPackage>>
const packagesOf = (file: string): Packages => JSON.parse(readFileSync(file, 'utf8')).packages

for (const [file, unchecked] of Object.entries(files))
  describe(file, () => {
    const packages = packagesOf(file)

    it('names the packages of every platform, so that npm ci works on each', () => {
      const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
        Object.keys(optionalDependencies).filter(
          (name) => packages[`${path}/node_modules/${name}`] === undefined && packages[`node_modules/${name}`] === undefined,
        ),
      )
      assert.deepEqual(missing, [])
    })

    it('has the checksum of every package, except those of other platforms that could not be fetched when it was written', () => {
      const found = Object.entries(packages).filter(([path, { integrity }]) => path !== '' && !integrity?.startsWith('sha512-'))
      assert.deepEqual(
        found.map(([path]) => path),
        unchecked,
      )
    })

    it('records no registry address', () => {
      assert.deepEqual(
        Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined),
        [],
      )
    })
  })

it("installs llama.cpp's build for ARM only on ARM, although its package names x64 too: npm writes that again with each new version", () => {
  assert.deepEqual(packagesOf('package-lock.json')['node_modules/@node-llama-cpp/linux-arm64']?.cpu, ['arm64'])
})

/** Whether a range as packages name them (`>=18`, `^20.19.0 || >=22.12.0`, `>= 6`) holds a version. */
function accepts(range: string, version: string): boolean {
  return range.split('||').some((part) => {
    const [, operator = '', least = ''] = /^(>=|\^)\s*([\d.]+)(?:\.x)?$/.exec(part.trim()) ?? []
    assert.notEqual(least, '', `The test does not know the range ${range}.`)
    const isLater = version.localeCompare(least, 'en', { numeric: true }) >= 0
    return isLater && (operator === '>=' || Number.parseInt(version, 10) === Number.parseInt(least, 10))
  })
}

for (const version of ['20.19.0', '22.13.0', '24.0.0', '26.0.0'])
  it(`installs without a warning about Node ${version}`, () => {
    const refused = Object.entries(packagesOf('package-lock.json')).filter(
      ([, { engines, optional }]) => optional !== true && !accepts(Object(engines).node ?? '>=0', version),
    )
    assert.deepEqual(
      refused.map(([path, { engines }]) => `${path} needs ${JSON.stringify(engines)}`),
      [],
    )
  })

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

interface LockedPackage {
  readonly integrity?: string
  readonly resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

/** Native packages of platforms that neither our machines nor our images run; docs/dependencies.md says what that means. */
const outOfReach = ['mac-arm64-metal', 'mac-x64', 'win-arm64', 'win-x64', 'win-x64-vulkan'].map(
  (platform) => `node_modules/@node-llama-cpp/${platform}`,
)
const files = { 'package-lock.json': outOfReach, 'test/package-lock.json': [], 'bench/package-lock.json': [] }

for (const [file, unchecked] of Object.entries(files))
  describe(file, () => {
    const { packages }: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(readFileSync(file, 'utf8'))

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

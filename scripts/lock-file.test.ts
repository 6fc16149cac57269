import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

interface LockedPackage {
  readonly integrity?: string
  readonly resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages }: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(readFileSync('package-lock.json', 'utf8'))

/** Native packages of platforms that neither our machines nor our images run; docs/dependencies.md says what that means. */
const outOfReach = ['linux-riscv64', 'mac-arm64-metal', 'mac-x64', 'win-arm64', 'win-x64', 'win-x64-vulkan'].map(
  (platform) => `@node-llama-cpp/${platform}`,
)

describe('package-lock.json', () => {
  it('names the packages of every platform, so that npm ci works on each', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => packages[`${path}/node_modules/${name}`] === undefined && packages[`node_modules/${name}`] === undefined,
      ),
    )
    assert.deepEqual(missing, [])
  })

  it('names the checksum of every package, but for those of other platforms that were out of reach when it was written', () => {
    const unchecked = Object.entries(packages).filter(([path, { integrity }]) => path !== '' && !integrity?.startsWith('sha512-'))
    assert.deepEqual(
      unchecked.map(([path]) => path),
      outOfReach.map((name) => `node_modules/${name}`),
    )
  })

  it('records no registry address', () => {
    assert.deepEqual(
      Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined),
      [],
    )
  })
})

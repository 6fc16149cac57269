import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

interface LockedPackage {
  readonly resolved?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

const { packages }: { readonly packages: Readonly<Record<string, LockedPackage>> } = JSON.parse(readFileSync('package-lock.json', 'utf8'))

describe('package-lock.json', () => {
  it('names the packages of every platform, so that npm ci works on each', () => {
    const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => packages[`${path}/node_modules/${name}`] === undefined && packages[`node_modules/${name}`] === undefined,
      ),
    )
    assert.deepEqual(missing, [])
  })

  it('records no registry address', () => {
    assert.deepEqual(
      Object.entries(packages).filter(([, { resolved }]) => resolved !== undefined),
      [],
    )
  })
})

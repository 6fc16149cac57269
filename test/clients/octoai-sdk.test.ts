import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OctoAI } from '@octoai/sdk'
import { findStylePreset } from '../../src/core/images/style-preset.ts'
import { testOctoaiSdk } from './octoai-sdk-suite.ts'
import { startFakeTarget } from './start-fake-target.ts'

testOctoaiSdk('fake models', startFakeTarget)

test("every style that the SDK can send is one of Sepia's looks", () => {
  const styles = Object.values(OctoAI.imageGen.SdxlStyles)
  assert.equal(styles.length, 78)
  assert.deepEqual(
    styles.filter((style) => findStylePreset(style) === undefined),
    [],
  )
})

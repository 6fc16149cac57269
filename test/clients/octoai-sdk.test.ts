import { testOctoaiSdk } from './octoai-sdk-suite.ts'
import { startFakeTarget } from './start-fake-target.ts'

testOctoaiSdk('fake models', startFakeTarget)

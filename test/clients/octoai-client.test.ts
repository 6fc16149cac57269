import { testOctoaiClient } from './octoai-client-suite.ts'
import { startFakeTarget } from './start-fake-target.ts'

testOctoaiClient('fake models', startFakeTarget)

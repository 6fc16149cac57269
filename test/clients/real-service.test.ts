import { testAnthropic } from './anthropic-suite.ts'
import { testOctoaiClient } from './octoai-client-suite.ts'
import { testOctoaiSdk } from './octoai-sdk-suite.ts'
import { testOpenAi } from './openai-suite.ts'
import { startRealTarget } from './start-real-target.ts'

testOctoaiClient('the real service', startRealTarget)
testOctoaiSdk('the real service', startRealTarget)
testOpenAi('the real service', startRealTarget)
testAnthropic('the real service', startRealTarget)

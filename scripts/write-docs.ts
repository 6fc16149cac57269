import { writeFileSync } from 'node:fs'
import { apiPage, apiPagePath } from './docs/api-page.ts'
import { configurationPage, configurationPagePath } from './docs/configuration-page.ts'
import { performancePage, performancePagePath } from './docs/performance-page.ts'

writeFileSync(configurationPagePath, configurationPage())
writeFileSync(apiPagePath, apiPage())
writeFileSync(performancePagePath, performancePage())

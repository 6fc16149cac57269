import { writeFileSync } from 'node:fs'
import { apiPage, apiPagePath } from './docs/api-page.ts'
import { configurationPage, configurationPagePath } from './docs/configuration-page.ts'

writeFileSync(configurationPagePath, configurationPage())
writeFileSync(apiPagePath, apiPage())

import { writeFileSync } from 'node:fs'
import { configurationPage, configurationPagePath } from './docs/configuration-page.ts'

writeFileSync(configurationPagePath, configurationPage())

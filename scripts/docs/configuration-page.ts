import { environmentName, fallbackWords, type SettingDescription } from '../../src/config/setting.ts'
import { groupedSettings } from '../../src/config/settings.ts'

/** Path of the page that {@link configurationPage} renders. */
export const configurationPagePath = 'docs/configuration.md'

/** The page of all settings, from their table. */
export function configurationPage(): string {
  return `${introduction}\n${groupedSettings()
    .map(([group, members]) => section(group, members))
    .join('\n')}`
}

const introduction = `# Settings

<!-- Written by \`npm run docs\` from src/config/settings.ts; change it there. -->

Set each value in one of three ways. The first one found wins:

1. the flag, \`--public-url https://sepia.example\`
2. the environment variable, \`SEPIA_PUBLIC_URL=https://sepia.example\` (an empty one counts as not set)
3. the key in \`sepia.config.json\` in the working folder, or in the file that \`--config\` or \`SEPIA_CONFIG\` names:
   \`{ "public-url": "https://sepia.example" }\`

\`./sepia config\` prints every setting, its value with secrets masked, and its source. An unknown name or an invalid value stops the start, and Sepia reports all faults at once.

Other commands take \`host\`, \`port\`, \`public-url\` and \`models\` from the running service unless you set them.

Values:

- **duration**: a number with \`ms\`, \`s\`, \`m\`, \`h\` or \`d\`: \`90s\`, \`5m\`, \`30d\`
- **size**: bytes, or a number with \`kb\`, \`mb\`, \`gb\` or \`tb\` (1 kb = 1024 bytes): \`64mb\`
- **on | off**: also \`true\` and \`false\`. The flag alone means on; \`--wide-penalties off\` and \`--wide-penalties=off\` mean off
- **several folders**: separated by \`:\` (on Windows \`;\`), or a list in the file
- **several names**: separated by commas, or a list in the file
- relative paths start at the working folder; in the file, at the file's folder

Two limits are fixed: outputs of asynchronous requests are deleted after 24 hours, and an asynchronous request holds at most 10 MB.
`

function section(group: string, members: readonly SettingDescription[]): string {
  const rows = members.map((setting) => {
    const form = setting.form.replaceAll('|', '\\|')
    return `| \`${setting.name}\` | \`${environmentName(setting.name)}\` | \`${form}\` | ${fallback(setting)} | ${setting.help} |`
  })
  return `## ${group}\n\n| name | environment | value | default | meaning |\n|---|---|---|---|---|\n${rows.join('\n')}\n`
}

function fallback(setting: SettingDescription): string {
  return typeof setting.fallback === 'string' ? `\`${setting.fallback}\`` : fallbackWords(setting)
}

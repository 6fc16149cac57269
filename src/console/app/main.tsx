import { render } from 'preact'
import { App } from './app.tsx'
import { applyBasePath } from './browser/apply-base-path.ts'
import { keepFocus } from './browser/keep-focus.ts'
import { language } from './language/language.ts'
import { applyTheme } from './state/theme.ts'
import '@fontsource-variable/source-sans-3/wght.css'
import '@fontsource-variable/source-serif-4/wght.css'
import '@fontsource-variable/source-serif-4/wght-italic.css'
import './styles/console.css'

applyBasePath()
applyTheme()
keepFocus()
document.documentElement.lang = language
const root = document.getElementById('app')
// Removes the placeholder of index.html.
root?.replaceChildren()
if (root) render(<App />, root)

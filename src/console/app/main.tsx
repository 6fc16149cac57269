import { render } from 'preact'
import { App } from './app.tsx'
import { applyTheme } from './state/theme.ts'
import './styles/console.css'

applyTheme()
const root = document.getElementById('app')
if (root) render(<App />, root)

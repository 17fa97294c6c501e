import { render } from 'solid-js/web';
import '@fontsource-variable/inter';
import '@fontsource-variable/jetbrains-mono';
import './styles/app.css';
import { App } from './App.tsx';
import { applyDensity } from './state/density.ts';
import { startTheme } from './state/theme.ts';

startTheme();
applyDensity();
const root = document.getElementById('root');
if (root) render(() => <App />, root);

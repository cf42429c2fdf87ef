import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './tokens.css';
import './shell/shell.css';
import { App } from './shell/App';
import { applyTheme } from './store/prefs';
import { start } from './store/session';

applyTheme();
start();
const root = document.getElementById('root');
const render = () =>
  root &&
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
// The head of the page is painted before the rest is made; hidden pages have no frames.
if (document.hidden) render();
else requestAnimationFrame(() => setTimeout(render));

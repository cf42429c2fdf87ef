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
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

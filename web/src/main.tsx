import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import './tokens.css';
import './shell/shell.css';
import { App } from './shell/App';
import { start } from './store/session';

start();
const root = document.getElementById('root');
if (root) {
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  );
}

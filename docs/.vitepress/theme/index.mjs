import Theme from 'vitepress/theme-without-fonts';
import TryIt from './try-it.vue';
import './style.css';

export default { extends: Theme, enhanceApp: ({ app }) => app.component('TryIt', TryIt) };

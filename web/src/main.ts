import { mount } from 'svelte';
import './style.css';
import './drawing.css';
import 'uplot/dist/uPlot.min.css';
import App from './App.svelte';

const target = document.getElementById('page');
if (target) mount(App, { target });

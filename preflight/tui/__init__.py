"""The assistant: screens that edit a plan and decide nothing."""

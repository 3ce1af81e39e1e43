from django.db import migrations

import core.ids


class Migration(migrations.Migration):

    dependencies = [
        ('sessions_app', '0003_followed_by_search'),
    ]

    operations = [
        migrations.AddField(
            model_name='session',
            name='task',
            field=core.ids.UlidField(blank=True, max_length=26, null=True),
        ),
    ]

# Search looks at the brains of sessions that were there before it.

from django.db import migrations

BRAINS = """INSERT INTO search_files (family, project_id, key, last, stamp, open)
    SELECT 'brain', project_id, id, 0, '', %s FROM sessions_app_session"""


def follow_brains(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        cursor.execute(BRAINS, [True])


class Migration(migrations.Migration):
    dependencies = [
        ("sessions_app", "0002_adopted_from"),
        ("search", "0001_initial"),
    ]

    operations = [migrations.RunPython(follow_brains)]
